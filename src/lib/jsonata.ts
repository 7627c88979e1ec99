import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createContext, Script } from 'node:vm'

/** Time limit (ms): mappings take one or two. */
const LONGEST = 250
type Evaluated = { value: unknown } | { fault: ExpressionFault }

export interface ExpressionFault {
  /** JSONata's code (`T2001`), or `timeout`. */
  code: string
  /** May contain payload values. */
  message: string
  position: number | null
}

export function isNoFunction({ code }: Pick<ExpressionFault, 'code'>): boolean {
  return code === 'T1005' || code === 'T1006'
}

/** Null: valid. Quotes nothing but the expression. */
export function syntaxFault(expression: string): ExpressionFault | null {
  const result = run(COMPILE, expression, 'null')
  return 'fault' in result ? result.fault : null
}

export function evaluate(expression: string, input: unknown): Evaluated {
  return run(EVALUATE, expression, JSON.stringify(input ?? null))
}

interface JsonataSandbox {
  source: string
  input: string
  output: string | undefined
}

const COMPILE = new Script(`output = undefined
try { compiled(source); output = '{}' } catch (error) { output = shown(error) }`)

const EVALUATE = new Script(`output = undefined
try {
  compiled(source).evaluate(JSON.parse(input))
    .then((value) => { output = JSON.stringify({ value }) })
    .catch((error) => { output = shown(error) })
} catch (error) { output = shown(error) }`)

/** Compiled once per expression; fresh variables per evaluation. */
const HELP = new Script(`const kept = new Map()
function compiled(source) {
  if (!kept.has(source)) kept.set(source, jsonata(source))
  return kept.get(source)
}
function shown({ code, message, position }) {
  return JSON.stringify({ fault: { code: code || 'failed', message: String(message), position: position || null } })
}`)

let room: JsonataSandbox | null = null

/** With `afterEvaluate` microtasks the script timeout bounds JSONata. */
function openRoom(): JsonataSandbox {
  const context = createContext({ source: '', input: '', output: undefined } satisfies JsonataSandbox, {
    microtaskMode: 'afterEvaluate',
    codeGeneration: { strings: false, wasm: false },
  })
  new Script(readFileSync(createRequire(import.meta.url).resolve('jsonata'), 'utf8')).runInContext(context)
  HELP.runInContext(context)
  // Used for base64.
  return Object.assign(context, { window: { btoa, atob } }) as unknown as JsonataSandbox
}

/** Retries if the machine, not the expression, took the time. */
const TRIES = 3

function run(script: Script, source: string, input: string): Evaluated {
  for (let tried = 1; ; tried++) {
    const begun = process.threadCpuUsage()
    const result = runOnce(script, source, input)
    const isLate = 'fault' in result && result.fault.code === 'timeout'
    if (!isLate || tried === TRIES || workedSince(begun) > LONGEST / 2) return result
  }
}

/** CPU time (ms). */
function workedSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(begun)
  return (user + system) / 1_000
}

function runOnce(script: Script, source: string, input: string): Evaluated {
  room ??= openRoom()
  Object.assign(room, { source, input })
  try {
    script.runInContext(room, { timeout: LONGEST })
  } catch (error) {
    // An interrupted script may continue in the next turn: isolate it.
    room = null
    const isLate = Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
    const message = isLate ? `it takes longer than ${LONGEST} ms` : 'it needs too much of the machine'
    return { fault: { code: isLate ? 'timeout' : 'failed', message, position: null } }
  }
  const { output } = room
  // Keep no personal data.
  Object.assign(room, { source: '', input: '', output: undefined })
  if (output === undefined) return { fault: { code: 'failed', message: 'it never ends', position: null } }
  return JSON.parse(output) as Evaluated
}
