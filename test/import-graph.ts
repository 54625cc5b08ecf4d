import { dirname, join } from 'node:path/posix'

import ts from 'typescript'

/** One import: `from` is a path in the repository, `to` such a path or the name of a package or built-in module. */
export interface Import {
  from: string
  to: string
  /** Only types are imported. */
  typeOnly: boolean
}

/** A part of the code: the paths that begin with one of `holds`; the longest prefix decides. */
export interface Room {
  holds: readonly string[]
  /** Parts it may import from, besides itself. */
  imports?: readonly string[]
  /** Parts it may import only types from. */
  importsTypes?: readonly string[]
  /** Packages and built-in modules, subpaths included; `node:*` is every built-in but those of the network. */
  modules?: readonly string[]
}

export type House = Readonly<Record<string, Room>>

/** Modules that can open connections; a part must list them explicitly. */
export const NETWORK_MODULES = [
  'node:http',
  'node:https',
  'node:http2',
  'node:net',
  'node:tls',
  'node:dns',
  'node:dgram',
]

/** The target of an import with a computed name. */
const COMPUTED = '(computed)'

/**
 * Every import a file makes, of values and of types, in each of its forms. TypeScript's own parser reads it, because
 * `Bun.Transpiler.scanImports` drops types, which have a direction too.
 */
export function importsOf(from: string, source: string): Import[] {
  const found: Import[] = []
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
    const name = specifier && ts.isStringLiteralLike(specifier) ? specifier.text : COMPUTED
    found.push({ from, to: name.startsWith('.') ? join(dirname(from), name) : name, typeOnly })
  }
  const visit = (node: ts.Node) => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, node.importClause?.isTypeOnly ?? false)
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier) add(node.moduleSpecifier, node.isTypeOnly)
    else if (ts.isExternalModuleReference(node)) add(node.expression, false)
    else if (ts.isImportTypeNode(node))
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true)
    else if (ts.isCallExpression(node) && isLoad(node.expression)) add(node.arguments[0], false)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(from, source, ts.ScriptTarget.Latest, false, scriptKindOf(from)))
  return found
}

/** In a .ts file `<T>value` is a type assertion, in a .tsx file the beginning of an element. */
function scriptKindOf(path: string): ts.ScriptKind {
  return path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
}

/** `import(…)`, `require(…)` and `require.resolve(…)`. */
function isLoad(callee: ts.Expression): boolean {
  if (ts.isPropertyAccessExpression(callee)) return isLoad(callee.expression)
  return callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require')
}

/** The imports of all TypeScript files below `folders`. */
export async function readImports(root: string, folders: readonly string[]): Promise<Import[]> {
  const paths = folders.flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.{ts,tsx}`).scanSync(root)]).toSorted()
  const imports = paths.map(async (path) => importsOf(path, await Bun.file(join(root, path)).text()))
  return (await Promise.all(imports)).flat()
}

/** Every forbidden import, as a readable line. */
export function forbiddenArrows(imports: readonly Import[], house: House): string[] {
  return imports.flatMap(({ from, to, typeOnly }) => {
    const room = roomOf(from, house)
    if (room === undefined) return [`${from} lies in no room`]
    return isAllowed(room, to, typeOnly, house) ? [] : [`${from} → ${to} (${room} may not import it)`]
  })
}

function isAllowed(room: string, to: string, typeOnly: boolean, house: House): boolean {
  const { imports = [], importsTypes = [], modules = [] } = house[room]!
  const target = roomOf(to, house)
  if (target !== undefined)
    return target === room || imports.includes(target) || (typeOnly && importsTypes.includes(target))
  const isPlainBuiltin = to.startsWith('node:') && !NETWORK_MODULES.some((name) => isWithin(to, name))
  return modules.some((name) => isWithin(to, name)) || (isPlainBuiltin && modules.includes('node:*'))
}

function isWithin(module: string, name: string): boolean {
  return module === name || module.startsWith(`${name}/`)
}

function roomOf(path: string, house: House): string | undefined {
  const holders = Object.entries(house).flatMap(([room, { holds }]) => holds.map((prefix) => ({ room, prefix })))
  const fitting = holders.filter(({ prefix }) => path.startsWith(prefix))
  return fitting.toSorted((a, b) => b.prefix.length - a.prefix.length)[0]?.room
}

/**
 * Every circle, as `a → b → a`. Circles of types load without harm, but none of their files can be understood, moved or
 * replaced without the others.
 */
export function circles(imports: readonly Import[]): string[] {
  const targets = Map.groupBy(imports, ({ from }) => from)
  const found: string[] = []
  const finished = new Set<string>()
  const walk = (file: string, path: readonly string[]) => {
    const start = path.indexOf(file)
    if (start >= 0) found.push([...path.slice(start), file].join(' → '))
    if (start >= 0 || finished.has(file)) return
    for (const { to } of targets.get(file) ?? []) walk(to, [...path, file])
    finished.add(file)
  }
  for (const file of targets.keys()) walk(file, [])
  return found
}

/** The packages among the imports: `drizzle-orm/bun-sqlite` → `drizzle-orm`. */
export function packagesOf(imports: readonly Import[], house: House): Set<string> {
  const outside = imports.filter(({ to }) => roomOf(to, house) === undefined && !/^(node|bun):/.test(to))
  return new Set(outside.map(({ to }) => /^(@[^/]+\/)?[^/]+/.exec(to)?.[0] ?? to))
}
