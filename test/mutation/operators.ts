import ts from 'typescript'

/** What a mutant does to the code. */
export const OPERATORS = [
  'negated condition',
  'shifted bound',
  'replaced operator',
  'changed constant',
  'dropped statement',
  'early return',
  'dropped await',
  'dropped catch',
  'dropped finally',
] as const
export type Operator = (typeof OPERATORS)[number]

/** One change of one source file: the text from `start` to `end` is replaced. */
export interface Mutant {
  path: string
  operator: Operator
  start: number
  end: number
  replacement: string
}

/** Above this, one more is rarely a limit that a test can reach, so that the number becomes 0 instead. */
const LARGE_NUMBER = 1_000

const EQUALITY: Record<string, string> = { '===': '!==', '!==': '===' }
const BOUNDS: Record<string, string> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }
const LOGIC: Record<string, string> = { '&&': '||', '||': '&&' }
const ARITHMETIC: Record<string, string> = { '+': '-', '-': '+', '*': '/', '/': '*', '%': '*' }

/** Every mutant of a file, in the order of the text. */
export function mutantsOf(path: string, source: string): Mutant[] {
  const mutants: Mutant[] = []
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true)
  const textOf = (node: ts.Node) => node.getText(file)

  function add(operator: Operator, [start, end]: readonly [start: number, end: number], replacement: string) {
    mutants.push({ path, operator, start, end, replacement })
  }
  const spanOf = (node: ts.Node) => [node.getStart(file), node.end] as const

  function negate(condition: ts.Expression | undefined) {
    if (condition) add('negated condition', spanOf(condition), `!(${textOf(condition)})`)
  }

  function mutateBinary(node: ts.BinaryExpression) {
    const token = textOf(node.operatorToken)
    const replace = (operator: Operator, by: Record<string, string>) => {
      if (by[token] !== undefined) add(operator, spanOf(node.operatorToken), by[token])
    }
    if (!isCondition(node)) replace('negated condition', EQUALITY)
    replace('shifted bound', BOUNDS)
    replace('replaced operator', LOGIC)
    if (!isText(node.left) && !isText(node.right)) replace('replaced operator', ARITHMETIC)
    if (token === '??') add('replaced operator', [node.left.end, node.end], '')
  }

  /** Returns before the first statement of a function. */
  function returnEarly({ body }: ts.FunctionLikeDeclaration) {
    if (body === undefined) return
    if (!ts.isBlock(body)) add('early return', spanOf(body), 'undefined')
    else if (body.statements.length > 0)
      add('early return', [body.getStart(file) + 1, body.getStart(file) + 1], ' return;')
  }

  function mutateTry({ catchClause, finallyBlock }: ts.TryStatement) {
    // A `try` needs one of both blocks.
    if (catchClause) add('dropped catch', spanOf(catchClause), finallyBlock ? '' : 'finally {}')
    if (finallyBlock) add('dropped finally', spanOf(finallyBlock), '{}')
  }

  /** `promise.catch(…)` and `promise.finally(…)` become `promise`. */
  function mutateCall({ expression: callee, end }: ts.CallExpression) {
    if (!ts.isPropertyAccessExpression(callee)) return
    const span = [callee.expression.end, end] as const
    if (callee.name.text === 'catch') add('dropped catch', span, '')
    if (callee.name.text === 'finally') add('dropped finally', span, '')
  }

  /** `using` and `await using` become `const`, so that nothing is disposed. */
  function mutateDeclarations(list: ts.VariableDeclarationList) {
    const usesDisposal = (list.flags & ts.NodeFlags.Using) === ts.NodeFlags.Using
    if (usesDisposal) add('dropped finally', [list.getStart(file), list.declarations[0]!.getStart(file)], 'const ')
  }

  function visit(node: ts.Node): void {
    if (ts.isTypeNode(node) || isDeclarationOnly(node)) return
    if (ts.isIfStatement(node) || ts.isWhileStatement(node) || ts.isDoStatement(node)) negate(node.expression)
    else if (ts.isForStatement(node) || ts.isConditionalExpression(node)) negate(node.condition)
    else if (ts.isBinaryExpression(node)) mutateBinary(node)
    else if (isNegation(node) && !isCondition(node)) add('negated condition', spanOf(node), textOf(node.operand))
    else if (ts.isTryStatement(node)) mutateTry(node)
    else if (ts.isCallExpression(node)) mutateCall(node)
    else if (ts.isVariableDeclarationList(node)) mutateDeclarations(node)
    else if (ts.isAwaitExpression(node)) add('dropped await', [node.getStart(file), node.expression.getStart(file)], '')
    if (isDroppable(node)) add('dropped statement', spanOf(node), ';')
    if (ts.isFunctionLike(node) && 'body' in node) returnEarly(node as ts.FunctionLikeDeclaration)
    const constant = changedConstant(node)
    if (constant !== null) add('changed constant', spanOf(node), constant)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return mutants.toSorted((a, b) => a.start - b.start || a.end - b.end)
}

/** The source with the change. */
export function applied(source: string, { start, end, replacement }: Mutant): string {
  return source.slice(0, start) + replacement + source.slice(end)
}

/** The lines that a mutant changes, as in the source and as in the mutant. */
export interface Change {
  /** The first of them. */
  line: number
  before: string
  after: string
}

export function changedLines(source: string, mutant: Mutant): Change {
  const from = source.lastIndexOf('\n', mutant.start - 1) + 1
  const to = source.indexOf('\n', mutant.end)
  const rest = source.length - (to < 0 ? source.length : to)
  const mutated = applied(source, mutant)
  const line = source.slice(0, from).split('\n').length
  return { line, before: source.slice(from, source.length - rest), after: mutated.slice(from, mutated.length - rest) }
}

function isNegation(node: ts.Node): node is ts.PrefixUnaryExpression {
  return ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken
}

/** Whether `negate` already negates the expression. */
function isCondition(node: ts.Node): boolean {
  const { parent } = node
  if (ts.isIfStatement(parent) || ts.isWhileStatement(parent) || ts.isDoStatement(parent))
    return parent.expression === node
  return (ts.isForStatement(parent) || ts.isConditionalExpression(parent)) && parent.condition === node
}

function isText(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)
}

/** Imports, types and names: nothing that runs. */
function isDeclarationOnly(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isInterfaceDeclaration(node)) return true
  return (
    ts.isTypeAliasDeclaration(node) ||
    (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
  )
}

/** Statements without a value that a later statement needs to be valid code. */
function isDroppable(node: ts.Node): boolean {
  if (ts.isExpressionStatement(node)) return !isSuperCall(node.expression)
  return (
    ts.isThrowStatement(node) || ts.isReturnStatement(node) || ts.isBreakStatement(node) || ts.isContinueStatement(node)
  )
}

function isSuperCall(node: ts.Expression): boolean {
  return ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword
}

/** The replacement of a literal, or null if the node is none. */
function changedConstant(node: ts.Node): string | null {
  if (node.kind === ts.SyntaxKind.TrueKeyword) return 'false'
  if (node.kind === ts.SyntaxKind.FalseKeyword) return 'true'
  if (ts.isPropertyName(node) && 'name' in node.parent && node.parent.name === node) return null
  if (ts.isNumericLiteral(node)) return Number(node.text) < LARGE_NUMBER ? String(Number(node.text) + 1) : '0'
  // A pattern that never matches.
  if (ts.isRegularExpressionLiteral(node)) return `/(?!)/${node.text.slice(node.text.lastIndexOf('/') + 1)}`
  // It may have a tag.
  if (ts.isNoSubstitutionTemplateLiteral(node)) return node.text === '' ? '`mutant`' : '``'
  if (ts.isStringLiteral(node)) return node.text === '' ? `'mutant'` : `''`
  return null
}
