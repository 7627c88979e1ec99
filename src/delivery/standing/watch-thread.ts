import { parentPort, workerData } from 'node:worker_threads'
import { type Blame, readHands } from './hands.ts'
import { type Note, writeNote } from './note.ts'
import { begin, look } from './pulse.ts'

/*
 * Watches the loop of the main thread from a thread of its own, which goes on when that one stands still, and writes down
 * what it stands still over before somebody kills the process.
 */

export interface WatchData {
  memory: SharedArrayBuffer
  /** Where the note is. */
  path: string
  /** How long the loop may stand still (milliseconds). */
  limit: number
  /** The note of an earlier process. */
  note: Note
}

/** Orders of the main thread: to forget what was acted on, or to end. */
export type Asked = { settled: number[] } | 'stop'

/** For how long the loop stood still (milliseconds), and over what. */
export interface Stood {
  stood: Blame[]
  ms: number
}

/** News for the main thread: that it is watched, that the loop stood still, or that the note could not be written. */
export type Told = 'watching' | Stood | { problem: string }

/** Looks in the time that the loop may stand still. */
const LOOKS = 10

/** While it stands still, the note says for how long; written again each so often (milliseconds). */
const AGAIN = 1_000

const { memory, path, limit, note } = workerData as WatchData
const hands = readHands(memory)
const tick = limit / LOOKS
const certain = new Map(note.certain.map(({ delivery, ms }) => [delivery, ms]))
const suspects = new Set(note.suspects)

let stillness = begin({ at: performance.now(), ...hands.pulse() })
/** Deliveries that it stands still over now, and all since it last turned. */
let blame: Blame | null = null
let blames: Blame[] = []
let written = 0
let isDirty = false

const timer = setInterval(() => {
  stillness = look(stillness, { at: performance.now(), ...hands.pulse() }, tick)
  const { still, unmoved, ended } = stillness
  if (ended >= limit) tell({ stood: blames, ms: Math.round(ended) })
  if (still === 0) blames = []
  if (unmoved < limit) blame = null
  else if (blame === null) {
    blame = hands.inHand()
    blames.push(blame)
    noteDown(blame, unmoved)
  } else if (unmoved - written >= AGAIN) noteDown(blame, unmoved)
  if (isDirty) write()
}, tick)

parentPort?.on('message', (asked: Asked) => {
  if (asked === 'stop') {
    clearInterval(timer)
    if (isDirty) write()
    parentPort?.close()
    return
  }
  for (const delivery of asked.settled) if (certain.delete(delivery) || suspects.delete(delivery)) isDirty = true
})

tell('watching')

function noteDown({ certain: one, suspects: some }: Blame, ms: number) {
  written = ms
  if (one !== null) {
    certain.set(one, Math.round(ms))
    suspects.delete(one)
    hands.blame(one, ms)
  }
  for (const delivery of some) if (!certain.has(delivery)) suspects.add(delivery)
  if (one !== null || some.length > 0) write()
}

function write() {
  isDirty = false
  try {
    writeNote(path, {
      certain: [...certain].map(([delivery, ms]) => ({ delivery, ms })),
      suspects: [...suspects],
    })
  } catch (error) {
    tell({ problem: error instanceof Error ? error.message : String(error) })
  }
}

function tell(told: Told) {
  parentPort?.postMessage(told)
}
