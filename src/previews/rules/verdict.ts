import type { Card } from './card.ts'

/** What an app shows for a link, in a few words. */
export interface Verdict {
  /**
   * `cut` if the card lacks the end of a text beyond the app's limit in characters or bytes, or the image of the page. A
   * text that ends after a number of lines `fits`, because the width of a line depends on the device. `none` if there is
   * no card, or the app does not list the page.
   */
  state: 'fits' | 'cut' | 'none'
  /** `Large image`; `Large image, title cut`; `None: only https` */
  text: string
}

export function verdictOf(card: Card): Verdict {
  const { layout, problem, imageProblem, cut } = card
  if (layout === 'none' || problem !== '') return { state: 'none', text: `None: ${problem || 'only the link'}` }
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
