import type { Format } from './format.ts'

/** The backend of Editor.js's link tool: https://github.com/editor-js/link#backend-response-format */
export const editorjs: Format = {
  name: 'editorjs',
  path: '/compat/editorjs',
  request: (parameter) => ({ url: parameter('url'), apiKey: parameter('api_key') }),
  response: ({ url, title, description, image, site_name }) => ({
    success: 1,
    link: url,
    meta: { title, description, site_name, ...(image !== undefined && { image: { url: image } }) },
  }),
  failure: ({ message }) => ({ success: 0, message }),
}
