/** Files that pages load are embedded as text. */
declare module '*.css' {
  const text: string
  export default text
}

declare module '*.svg' {
  const text: string
  export default text
}

/** The path of an embedded file. */
declare module '*.png' {
  const path: string
  export default path
}

declare module '*.js' {
  const text: string
  export default text
}
