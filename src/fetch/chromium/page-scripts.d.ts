/** Scripts that run inside pages, embedded as text. */
declare module '*/page-watch.js' {
  const text: string
  export default text
}
