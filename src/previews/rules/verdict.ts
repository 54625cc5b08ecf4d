import type { Card } from './card.ts'

/** What an app shows for a link, in a few words. */
export interface Verdict {
  /**
   * `cut` if the card lacks the end of a text (see `Card.cut`), or the image of the page. `none` if there is no card,
   * or the app does not list the page.
   */
  state: 'fits' | 'cut' | 'none'
  /** `Large image`; `Large image, title cut`; `None: only https` */
  text: string
}

export function verdictOf(card: Card): Verdict {
  const { problem, imageProblem, cut } = card
  if (problem !== '') return { state: 'none', text: `None: ${problem}` }
  const lost = [...cut.map((text) => `${text} cut`), ...(imageProblem === '' ? [] : ['image not shown'])]
  return { state: lost.length === 0 ? 'fits' : 'cut', text: [kindOf(card), ...lost].join(', ') }
}

function kindOf({ layout, platform, isVideo, image, moreImages, icon }: Card): string {
  if (layout === 'search') return 'Search result'
  if (isVideo) return 'Video'
  if (image === null) return icon !== null && platform.icon === 'instead of image' ? 'Icon' : 'Text only'
  if (moreImages.length > 0) return `${moreImages.length + 1} images`
  if (layout === 'alone') return 'Image only'
  return layout === 'left' || layout === 'right' ? 'Small image' : 'Large image'
}
