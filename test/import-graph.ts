import { dirname, join } from 'node:path/posix'

import ts from 'typescript'

/** One import: `from` is a path in the repository; `to` is a path, or the name of a package or built-in module. */
export interface Import {
  from: string
  to: string
  /** Only types are imported. */
  typeOnly: boolean
  /** Imported when a function runs, not when the file is loaded. */
  dynamic: boolean
}

/** A part of the code: the files whose path starts with a prefix in `holds`. The longest prefix decides. */
export interface Part {
  holds: readonly string[]
  /** Parts it may import from, besides itself. */
  imports?: readonly string[]
  /** Parts from which it may import only types. */
  importsTypes?: readonly string[]
  /** Packages and built-in modules, including subpaths; `node:*` means every built-in module except network modules. */
  modules?: readonly string[]
}

export type Architecture = Readonly<Record<string, Part>>

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
 * Every import in a file, of values and of types, in every form. It is parsed by TypeScript, because
 * `Bun.Transpiler.scanImports` skips imports of types.
 */
export function importsOf(from: string, source: string): Import[] {
  const found: Import[] = []
  const add = (specifier: ts.Node | undefined, typeOnly: boolean, dynamic = false) => {
    const name = specifier && ts.isStringLiteralLike(specifier) ? specifier.text : COMPUTED
    found.push({ from, to: name.startsWith('.') ? join(dirname(from), name) : name, typeOnly, dynamic })
  }
  const visit = (node: ts.Node) => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, node.importClause?.isTypeOnly ?? false)
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier) add(node.moduleSpecifier, node.isTypeOnly)
    else if (ts.isExternalModuleReference(node)) add(node.expression, false)
    else if (ts.isImportTypeNode(node))
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true)
    else if (ts.isCallExpression(node) && isLoad(node.expression)) add(node.arguments[0], false, true)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(from, source, ts.ScriptTarget.Latest, false, scriptKindOf(from)))
  return found
}

/** `<T>value` is a type assertion in a .ts file, and the start of an element in a .tsx file. */
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

/** Describes every forbidden import in one line. */
export function forbiddenImports(imports: readonly Import[], architecture: Architecture): string[] {
  return imports.flatMap(({ from, to, typeOnly }) => {
    const part = partOf(from, architecture)
    if (part === undefined) return [`${from} belongs to no part`]
    return isAllowed(part, to, typeOnly, architecture) ? [] : [`${from} → ${to} (${part} may not import it)`]
  })
}

function isAllowed(part: string, to: string, typeOnly: boolean, architecture: Architecture): boolean {
  const { imports = [], importsTypes = [], modules = [] } = architecture[part]!
  const target = partOf(to, architecture)
  if (target !== undefined)
    return target === part || imports.includes(target) || (typeOnly && importsTypes.includes(target))
  const isPlainBuiltin = to.startsWith('node:') && !NETWORK_MODULES.some((name) => isWithin(to, name))
  return modules.some((name) => isWithin(to, name)) || (isPlainBuiltin && modules.includes('node:*'))
}

/** The parts that are loaded with a file through its direct and indirect imports, except dynamic ones. */
export function partsLoadedWith(file: string, imports: readonly Import[], architecture: Architecture): Set<string> {
  const loaded = Map.groupBy(
    imports.filter(({ typeOnly, dynamic }) => !typeOnly && !dynamic),
    ({ from }) => from,
  )
  const files = new Set([file])
  for (const from of files) for (const { to } of loaded.get(from) ?? []) files.add(to)
  return new Set([...files].flatMap((path) => partOf(path, architecture) ?? []))
}

function isWithin(module: string, name: string): boolean {
  return module === name || module.startsWith(`${name}/`)
}

function partOf(path: string, architecture: Architecture): string | undefined {
  const holders = Object.entries(architecture).flatMap(([part, { holds }]) => holds.map((prefix) => ({ part, prefix })))
  const fitting = holders.filter(({ prefix }) => path.startsWith(prefix))
  return fitting.toSorted((a, b) => b.prefix.length - a.prefix.length)[0]?.part
}

/**
 * Every import cycle, as `a → b → a`. Cycles of types cause no errors, but none of their files can be understood, moved or
 * replaced without the others.
 */
export function importCycles(imports: readonly Import[]): string[] {
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
export function packagesOf(imports: readonly Import[], architecture: Architecture): Set<string> {
  const outside = imports.filter(({ to }) => partOf(to, architecture) === undefined && !/^(node|bun):/.test(to))
  return new Set(outside.map(({ to }) => /^(@[^/]+\/)?[^/]+/.exec(to)?.[0] ?? to))
}
