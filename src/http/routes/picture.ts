import { Elysia } from 'elysia'

import type { PictureLink, Pictures } from '../../service/pictures.ts'
import type { Door } from '../door.ts'
import { queryOf } from '../metadata-query.ts'

const PATH = '/playground/image'

/** Foreign bytes from the dashboard's origin: browsers must treat them as an image only, even when opened directly. */
const PICTURE_HEADERS = {
  'cache-control': 'private, max-age=300',
  'content-security-policy': "default-src 'none'; sandbox",
  'content-disposition': 'inline; filename="preview"',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

/** The path of a proxied image. */
export function picturePath({ url, expiresAtMs, signature }: PictureLink): string {
  return `${PATH}?${new URLSearchParams({ url, expires: String(expiresAtMs), signature })}`
}

/** `/playground/image`: proxies an image of a fetched page, so that the browser does not contact that site. */
export const pictureRoutes = ({ door, pictures }: { door: Door; pictures: Pictures }) =>
  new Elysia().use(door.members).get(PATH, async ({ request, member }) => {
    const query = queryOf(request)
    const link = {
      url: query('url') ?? '',
      expiresAtMs: Number(query('expires')),
      signature: query('signature') ?? '',
    }
    const picture = await pictures.fetch(member.user.id, link, request.signal)
    if (picture === null) return new Response(null, { status: 404, headers: PICTURE_HEADERS })
    return new Response(picture.bytes, { headers: { ...PICTURE_HEADERS, 'content-type': picture.mimeType } })
  })
