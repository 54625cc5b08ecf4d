/** The text of a file of `views/examples`, with values in place of their names: `<BASE_URL>`. */
export const filled = (example: string, values: Readonly<Record<string, string>>): string =>
  example.trimEnd().replaceAll(/<([A-Z_]+)>/g, (name: string, value: string) => values[value] ?? name)
