import type { Identifiers } from './identifiers.ts'
import type { PersonalValue } from './person-nodes.ts'
import { type Sealed, seal, unseal } from './sealing.ts'

/** The knowledge that an erasure had of its person when it was begun: where it is cut off, rows may not tell it again. */
export interface Learnt extends Identifiers {
  /** What was asked for, and the ids that many have. */
  asked: Identifiers
  shared: string[]
  values: PersonalValue[]
  alone: Identifiers
  /** The person's events, and those among them in which others stand by what they share. */
  events: number[]
  besideOthers: number[]
}

/** An erasure that was begun, as the audit has it until it has ended. */
interface Begun {
  person: string
  by: string
  begun: true
}

/** By this the rows of the audit are found. */
export const BEGUN_MARK = '"begun":true,"key":"'

const PARTS = /,"key":"([0-9a-f]{64})","sealed":"([\w-]+)"/

/** The selection of an act that says so, with what was learnt, sealed. */
export function begunSelection(begun: Begun, learnt: Learnt): Begun & Sealed {
  return { ...begun, ...seal(learnt) }
}

/** What such a selection has sealed; null: nothing that can be opened. */
export function readBegun(selection: string): { person: string; key: string; learnt: Learnt } | null {
  const [, key, sealed] = PARTS.exec(selection) ?? []
  if (key === undefined || sealed === undefined) return null
  try {
    const { person } = JSON.parse(selection) as Begun
    return { person, key, learnt: unseal({ key, sealed }) as Learnt }
  } catch {
    return null
  }
}

/** The selection without it, as whoever reads the audit sees it. Pure. */
export function withoutSealed(selection: string): string {
  return selection.replace(PARTS, '')
}
