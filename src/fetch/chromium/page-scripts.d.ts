/** What runs inside pages is embedded as text; nothing of it runs here. */
declare module '*/page-watch.js' {
  const text: string
  export default text
}
