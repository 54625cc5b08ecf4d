/*
 * The words of bylines by meaning, a line for each language, in the languages of most pages
 * (https://w3techs.com/technologies/overview/content_language): English, German, Spanish, Japanese, French, Portuguese,
 * Russian, Italian, Dutch, Polish, Turkish, Persian, Chinese, Vietnamese, Indonesian, Korean, Czech, Swedish, Danish,
 * Norwegian, Ukrainian, Greek, Finnish, Hungarian, Romanian, Arabic and Hebrew. Most are what WordPress and its themes
 * display in a language (https://translate.wordpress.org/projects/wp/): "by", "Written by", "Author", "Posted on",
 * "Uncategorized", "View all posts by", "Comments".
 */

/** Prepositions in front of an author, and what stands in front of them: "Written by". */
const PREPOSITIONS: Readonly<Record<string, string>> = {
  by:
    'written,posted,published,story,story and photos,words,reported,text,created,edited,article,review,report,submitted,' +
    'contributed,authored,photos,recipe,interview',
  von:
    'geschrieben,verfasst,veröffentlicht,publiziert,erstellt,eingestellt,gepostet,artikel,ein artikel,beitrag,ein beitrag,' +
    'eine analyse,ein kommentar,ein gastbeitrag,gastbeitrag,rezept,text,interview',
  por: 'escrito,publicado,postado',
  par: 'écrit,publié,rédigé,proposé,posté,recette',
  da: 'scritto,pubblicato,postato,inserito',
  di: '',
  door: 'geschreven,geplaatst,gepubliceerd,gepost',
  przez: 'napisane,opublikowane,dodane,dodany',
  od: '',
  av: 'skriven,publicerad,postad,skrevet,publisert',
  af: 'skrevet,udgivet',
}

/** Words for an author, which need a separator before a name, and phrases that do not: "Author:", "written by". */
const AUTHORS = wordsOf(`
  author,authors,words,interview
  autor,autoren,autorin,verfasser,text
  autora,autores,texto
  著者,作者,執筆者,執筆,筆者,記者,文,取材・文,投稿者
  auteur,auteure,autrice,auteurs,texte
  автор,авторы,текст,написал,написано,написано автором,автор записи,опубликовано,разместил
  autore,autrice,autori,testo,a cura di
  tekst
  autorka,autorzy,autor wpisu
  yazan,yazar
  نویسنده,نوشته شده توسط
  撰文,责任编辑,責任編輯,编辑,編輯,记者,责编,發佈者,发布者
  tác giả,người viết,được viết bởi,viết bởi,đăng bởi,bởi
  oleh,penulis,ditulis oleh,diposting oleh
  글쓴이,작성자,글,기자
  napsal,napsal(a)
  författare
  forfatter
  автор запису
  γράφτηκε από,συντάχθηκε από,συντάκτης
  kirjoittaja,kirjoittanut,teksti
  szerző,írta
  scris de,publicat de
  كُتب بواسطة,بواسطة,الكاتب
  כתוב על ידי,מאת
`)

/** Other labels, mostly of dates, places and categories: "Posted on". */
const OTHER_LABELS = wordsOf(`
  posted on,published on,updated,last updated,date,contact,uncategorized,post,source,home,menu,admin
  veröffentlicht am,erstellt am,aktualisiert,zuletzt aktualisiert,stand,datum,kontakt,allgemein,quelle,startseite
  publicado el,actualizado,fecha,contacto,sin categoría,fuente,inicio
  公開日,更新日,投稿日,未分類
  publié le,mis à jour,mis à jour le,non classé,accueil
  publicado em,atualizado,data,contato,sem categoria,fonte,início
  дата,контакты,без рубрики,обновлено,источник
  pubblicato il,aggiornato,contatti,senza categoria
  geplaatst op,gepubliceerd op,bijgewerkt,geen categorie,bron
  opublikowano,data publikacji,zaktualizowano,bez kategorii,źródło
  tarih,yayınlanma,güncelleme,iletişim,genel,kaynak
  تاریخ,دسته‌بندی نشده
  来源,來源,发布时间,時間,时间,日期,更新,未分类
  ngày đăng,cập nhật,liên hệ,nguồn
  diterbitkan,diperbarui,tanggal,sumber
  입력,수정,등록,미분류
  zveřejněno,publikováno,aktualizováno,nezařazené
  publicerat,uppdaterad
  publiseret,opdateret,dato,oppdatert
  опубліковано,оновлено,без категорії
  ημερομηνία
  julkaistu,päivitetty
  közzétéve,dátum
  publicat,actualizat
  تاريخ
  תאריך
`)

/** Words of links, jobs and pictures beside names. */
const OTHERS: ReadonlySet<string> = new Set([
  ...AUTHORS,
  ...wordsOf(`
  about,view,see,more,all,posts,articles,follow,profile,share,comment,comments,read,min,minutes,ago,subscribe,sign,log
  menu,home,news,updated,published,photo,getty,images,contact,email,twitter,facebook,by,writer,reporter,editor
  correspondent,archive,archives
  autors,über,mehr,alle,artikel,beiträge,kommentar,kommentare,foto,fotos,bild,zur,zum,gesponsert,gesponserte
  ver,todos,todas,artículos,entradas,sobre,acerca,comentarios
  voir,tous,propos,commentaires,photos
  comentários
  автора,авторе,записи,все,фото,комментарии
  tutti,articoli,informazioni,commenti
  bekijk,berichten,reacties,beeld
  zobacz,wszystkie,wpisy,komentarze,zdjęcia
  tüm,yazılar,yorumlar
  visa,inlägg
`),
])

/** Parts of words beside names, in languages without spaces. */
const OTHER_PARTS = ['著者', '作者', '投稿者', 'の投稿', 'の記事', '一覧', '記者ページ', 'プロフィール']

/**
 * What a prefix is: a preposition, which may begin a name (`Von Miller`); a phrase, which does not; a noun such as
 * "Author", which needs a separator before a name; or a label of something else.
 */
type PrefixKind = 'preposition' | 'phrase' | 'noun' | 'label'

const PHRASES = Object.entries(PREPOSITIONS).flatMap(([by, words]) => wordsOf(words).map((word) => `${word} ${by}`))

const PREFIXES = new Map<string, PrefixKind>([
  ...OTHER_LABELS.map((text) => [text, 'label'] as const),
  ...Object.keys(PREPOSITIONS).map((text) => [text, text === 'by' ? 'phrase' : 'preposition'] as const),
  ...AUTHORS.map((text) => [text, text.includes(' ') ? 'phrase' : 'noun'] as const),
  ...PHRASES.map((text) => [text, 'phrase'] as const),
])

const LABELS: ReadonlySet<string> = new Set([
  ...PREFIXES.keys(),
  ...Object.values(PREPOSITIONS).flatMap((words) => wordsOf(words)),
])

/** By their first character, longest first. */
const BY_INITIAL = Map.groupBy(
  [...PREFIXES.keys()].toSorted((a, b) => b.length - a.length),
  (prefix) => prefix[0]!,
)

/** Separators between a prefix and a name. */
const SEPARATORS = ':：●■/／'

/** Whether a text in lower case is only a label. */
export function isLabel(text: string): boolean {
  return LABELS.has(text)
}

/** Whether a text in lower case means "Author" or "Written by". */
export function isAuthorLabel(text: string): boolean {
  return (PREFIXES.get(text) ?? 'label') !== 'label'
}

/** Whether a text has a word of links, jobs or pictures. */
export function hasOtherWord(text: string): boolean {
  const words = text.toLowerCase().split(/[^\p{L}\p{M}]+/u)
  return words.some((word) => OTHERS.has(word)) || OTHER_PARTS.some((part) => text.includes(part))
}

/** Whether a text ends in a preposition of authorship, so that the name is in the next element: "Recipe by". */
export function endsInPreposition(text: string): boolean {
  const last = text.slice(text.lastIndexOf(' ') + 1).toLowerCase()
  return last === 'by' || PREFIXES.get(last) === 'preposition'
}

/** The prefix of a text, and the text after it; undefined if it has none. */
export function splitPrefix(text: string): { kind: PrefixKind; rest: string; isSeparated: boolean } | undefined {
  const lower = text.toLowerCase()
  const prefix = BY_INITIAL.get(lower[0] ?? '')?.find((one) => startsWithWord(lower, one))
  if (prefix === undefined) return undefined
  const rest = text.slice(prefix.length).trimStart()
  const isSeparated = rest !== '' && SEPARATORS.includes(rest[0]!)
  const kind = PREFIXES.get(prefix)!
  return { kind, rest: isSeparated ? rest.slice(1).trimStart() : rest, isSeparated }
}

function startsWithWord(text: string, word: string): boolean {
  return text.startsWith(word) && !/^[\p{L}\d]/u.test(text.slice(word.length, word.length + 2))
}

function wordsOf(lines: string): string[] {
  return lines
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== '')
}
