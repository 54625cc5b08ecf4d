import type { Source } from '../sources/sources.ts'

/** "Written by" in the most common languages of WordPress, in lower case. */
const LABELS: ReadonlySet<string> = new Set(
  (
    'written by,posted by,published by,author,by,geschrieben von,verfasst von,autor,autorin,von,écrit par,rédigé par,' +
    'auteur,par,escrito por,por,scritto da,autore,geschreven door,napisane przez,autor wpisu,skriven av,skrevet av,' +
    'skrevet af,kirjoittaja,kirjoittanut,szerző,napsal,napsal(a),scris de,yazan,yazar,ditulis oleh,penulis,người viết,' +
    'được viết bởi,написано,написано автором,автор,автор записи,γράφτηκε από,συντάχθηκε από,نوشته شده توسط,' +
    'كُتب بواسطة,כתוב על ידי,著者,作者,執筆者,投稿者,글쓴이,작성자'
  ).split(','),
)

/** The first label and text of a Twitter card. WordPress plugins put the author there. */
export const labeledAuthor: Source = {
  label: 'twitter:data1',
  metaNames: ['twitter:label1', 'twitter:data1', 'twitter:data2'],
  find(page, normalize) {
    const text = (name: string) => page.meta(name, (value) => value.trim() || undefined)
    const label = text('twitter:label1')?.toLowerCase()
    const data = text('twitter:data1')
    if (label === undefined || data === undefined) return undefined
    // The same plugins write the reading time in the second pair, in any language: "5 minutes".
    const isBesideReadingTime = /^\d{1,3} \p{L}+/u.test(text('twitter:data2') ?? '') && !/\d/.test(data)
    return LABELS.has(label) || isBesideReadingTime ? normalize(data) : undefined
  },
}
