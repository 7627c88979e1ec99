import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createContext, Script } from 'node:vm'

/** How long one evaluation may hold the hub up (milliseconds): a mapping takes one or two, a run-away has no end. */
const LONGEST = 250

/** The result of an expression: JSON (undefined: nothing), or a fault. */
export type Evaluated = { value: unknown } | { fault: ExpressionFault }

export interface ExpressionFault {
  /** JSONata's own code (`T2001`), or `timeout`. */
  code: string
  /** In words. It may show values that the expression worked on. */
  message: string
  /** The character it is about, from 1; null: it is about the whole. */
  position: number | null
}

/** Whether it is a call of what is no function. */
export function isNoFunction({ code }: Pick<ExpressionFault, 'code'>): boolean {
  return code === 'T1005' || code === 'T1006'
}

/** A fault of an expression as it is written; null: it is JSONata. Its message shows nothing but the expression. */
export function syntaxFault(expression: string): ExpressionFault | null {
  const result = run(COMPILE, expression, 'null')
  return 'fault' in result ? result.fault : null
}

/**
 * Evaluates JSONata (https://docs.jsonata.org) over JSON. It knows nothing but its input and JSONata's own functions, and it is
 * over when this returns: what takes too long (a loop, a regular expression that backtracks) is ended.
 */
export function evaluate(expression: string, input: unknown): Evaluated {
  return run(EVALUATE, expression, JSON.stringify(input ?? null))
}

/** The context of a script: what it is given, and what it leaves. */
interface Room {
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

/** Expressions are those of a config: compiled once. Each evaluation has variables of its own. */
const HELP = new Script(`const kept = new Map()
function compiled(source) {
  if (!kept.has(source)) kept.set(source, jsonata(source))
  return kept.get(source)
}
function shown({ code, message, position }) {
  return JSON.stringify({ fault: { code: code || 'failed', message: String(message), position: position || null } })
}`)

let room: Room | null = null

/**
 * JSONata is asynchronous and cannot be interrupted. In a context of its own, whose promises are settled before `runInContext`
 * returns, its time is bounded by the same watch that bounds a script's.
 */
function openRoom(): Room {
  const context = createContext({ source: '', input: '', output: undefined } satisfies Room, {
    microtaskMode: 'afterEvaluate',
    codeGeneration: { strings: false, wasm: false },
  })
  new Script(readFileSync(createRequire(import.meta.url).resolve('jsonata'), 'utf8')).runInContext(context)
  HELP.runInContext(context)
  // Where JSONata looks for what it makes base64 with.
  return Object.assign(context, { window: { btoa, atob } }) as unknown as Room
}

/** One evaluation is begun so often where the machine, not the expression, took the time. */
const TRIES = 3

function run(script: Script, source: string, input: string): Evaluated {
  for (let tried = 1; ; tried++) {
    const begun = process.threadCpuUsage()
    const result = runOnce(script, source, input)
    const isLate = 'fault' in result && result.fault.code === 'timeout'
    if (!isLate || tried === TRIES || workedSince(begun) > LONGEST / 2) return result
  }
}

/** How long this thread was on a processor (milliseconds). */
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
    // A script that was ended in the middle may go on at the next turn: it gets a room without doors.
    room = null
    const isLate = Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
    const message = isLate ? `it takes longer than ${LONGEST} ms` : 'it needs too much of the machine'
    return { fault: { code: isLate ? 'timeout' : 'failed', message, position: null } }
  }
  const { output } = room
  // Nothing of an order or a customer stays behind.
  Object.assign(room, { source: '', input: '', output: undefined })
  if (output === undefined) return { fault: { code: 'failed', message: 'it never ends', position: null } }
  return JSON.parse(output) as Evaluated
}
