import { dirname, join } from 'node:path/posix'

import ts from 'typescript'

/** A call of `test`. */
export interface TestCase {
  /** `path:line`, and the name if it is a literal. */
  place: string
  asserts: boolean
  /** The option that would repeat it, or null. */
  repeatedBy: string | null
}

/** A call of `Bun.sleep`. */
export interface Sleep {
  path: string
  /** The first line of its statement. */
  line: string
  /** Whether it is in a loop that ends when a condition holds. */
  polls: boolean
  /** Whether it only lets other tasks of the event loop run. */
  yields: boolean
}

/** A named function, or one in a named property. */
interface NamedFunction {
  asserts: boolean
  calls: ReadonlySet<string>
}

interface ParsedFile {
  functions: ReadonlyMap<string, NamedFunction>
  /** Imported names → the file of each. */
  imports: ReadonlyMap<string, string>
  tests: readonly { place: string; repeatedBy: string | null; bodies: readonly NamedFunction[] }[]
  sleeps: readonly Sleep[]
}

/** The longest sleep that only lets other tasks run, in milliseconds. */
const YIELD_MS = 1

const REPEATING = ['retry', 'repeats']

/** Functions of `test` that return a function to define tests. */
const CURRIED = ['each', 'if', 'skipIf', 'todoIf', 'failingIf']

/** All tests and sleeps in these files, whose keys are paths. A test asserts if it calls `expect`, or a function in these files that does. */
export function testsIn(sources: ReadonlyMap<string, string>): { tests: TestCase[]; sleeps: Sleep[] } {
  const files = new Map(Array.from(sources, ([path, source]) => [path, parse(path, source)]))
  const known = new Map<NamedFunction, boolean>()

  /** Functions are found by name: in the same file, in the file it is imported from, or in any imported file. */
  function called(name: string, path: string): { one: NamedFunction; from: string }[] {
    const { functions, imports } = files.get(path)!
    const own = functions.get(name)
    if (own !== undefined) return [{ one: own, from: path }]
    const origin = imports.get(name)
    const places = origin === undefined ? new Set(imports.values()) : [origin]
    return Array.from(places).flatMap((from) => {
      const one = files.get(from)?.functions.get(name)
      return one === undefined ? [] : [{ one, from }]
    })
  }

  function asserts(one: NamedFunction, path: string): boolean {
    const result = known.get(one)
    if (result !== undefined) return result
    // A recursive function asserts only if another of its calls does.
    known.set(one, one.asserts)
    const found = one.asserts || [...one.calls].some((name) => called(name, path).some((f) => asserts(f.one, f.from)))
    known.set(one, found)
    return found
  }

  return {
    tests: Array.from(files).flatMap(([path, { tests }]) =>
      tests.map(({ place, repeatedBy, bodies }) => ({
        place,
        repeatedBy,
        asserts: bodies.some((body) => asserts(body, path)),
      })),
    ),
    sleeps: Array.from(files.values()).flatMap(({ sleeps }) => sleeps),
  }
}

function parse(path: string, source: string): ParsedFile {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true)
  const functions = new Map<string, NamedFunction>()
  const imports = new Map<string, string>()
  const tests: ParsedFile['tests'][number][] = []
  const sleeps: Sleep[] = []

  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      const to = join(dirname(path), node.moduleSpecifier.text)
      const bindings = node.importClause?.namedBindings
      if (bindings && ts.isNamedImports(bindings)) for (const { name } of bindings.elements) imports.set(name.text, to)
    } else if (isNamed(node) && node.name && ts.isIdentifier(node.name)) {
      const before = functions.get(node.name.text)
      const { asserts, calls } = callsIn(node)
      functions.set(node.name.text, {
        asserts: asserts || before?.asserts === true,
        calls: calls.union(before?.calls ?? new Set()),
      })
    } else if (ts.isCallExpression(node)) {
      if (isTest(node.expression)) {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart())
        const [title] = node.arguments
        tests.push({
          place: `${path}:${line + 1} ${title && ts.isStringLiteralLike(title) ? title.text : ''}`.trim(),
          repeatedBy: REPEATING.find((name) => node.arguments.some((argument) => hasProperty(argument, name))) ?? null,
          bodies: node.arguments.slice(1).map((argument) => callsIn(argument)),
        })
      } else if (node.expression.getText() === 'Bun.sleep') {
        const [time] = node.arguments
        sleeps.push({
          path,
          line: lineOf(node).getText().split('\n')[0]!,
          polls: isInLoop(node),
          yields: time !== undefined && ts.isNumericLiteral(time) && Number(time.text) <= YIELD_MS,
        })
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return { functions, imports, tests, sleeps }
}

const isNamed = (node: ts.Node) =>
  ts.isFunctionDeclaration(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isVariableDeclaration(node) ||
  ts.isPropertyAssignment(node)

/** A function that is found by its name where it is called. */
const isNamedFunction = (node: ts.Node) =>
  isNamed(node) && (!('initializer' in node) || ts.isFunctionLike(node.initializer as ts.Node))

/**
 * What is called in a node, without the functions in it that have a name. An identifier alone may be a function that is
 * passed on.
 */
function callsIn(node: ts.Node): NamedFunction {
  const calls = new Set<string>()
  const visit = (child: ts.Node): void => {
    if (isNamedFunction(child) && child !== node) return
    if (ts.isIdentifier(child)) calls.add(child.text)
    if (ts.isCallExpression(child) && child.expression.getText() === 'fc.assert') calls.add('expect')
    ts.forEachChild(child, visit)
  }
  visit(node)
  return { asserts: calls.has('expect'), calls }
}

/** `test(…)`, `test.concurrent(…)`, `test.each(…)(…)` and the like. */
function isTest(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return callee.text === 'test'
  const isCurried = ts.isCallExpression(callee)
  const member = isCurried ? callee.expression : callee
  if (!ts.isPropertyAccessExpression(member) || CURRIED.includes(member.name.text) !== isCurried) return false
  return isTest(member.expression)
}

const hasProperty = (node: ts.Node, name: string): boolean =>
  ts.isObjectLiteralExpression(node) && node.properties.some((property) => property.name?.getText() === name)

function isInLoop(node: ts.Node): boolean {
  for (let at = node.parent; !ts.isSourceFile(at); at = at.parent) {
    if (ts.isWhileStatement(at) || ts.isDoStatement(at) || (ts.isForStatement(at) && !at.condition)) return true
    if (ts.isFunctionLike(at)) return false
  }
  return false
}

function lineOf(node: ts.Node): ts.Node {
  return ts.isStatement(node) || ts.isSourceFile(node.parent) ? node : lineOf(node.parent)
}
