import type { Person } from './person.ts'
import type { Identities, PersonalValue } from './person-nodes.ts'
import { type Sealed, seal, unseal } from './sealing.ts'

/** The knowledge that an erasure had of its person when it was begun: where it is cut off, rows may not tell it again. */
export interface Learnt extends Identities {
  /** What was asked for, and the ids that many have. */
  asked: Identities
  shared: string[]
  values: PersonalValue[]
  alone: Identities
  /** Texts that others have as well. */
  unsure: string[]
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

/** The person, of whom no more is alone theirs, or sure, than was then: the rows that told may be gone. Pure. */
export function asLearnt(person: Person, learnt: Learnt): Person {
  const unsure = new Set(learnt.unsure)
  const among = (name: keyof Identities) =>
    person.alone[name].filter((value) => !learnt[name].includes(value) || learnt.alone[name].includes(value))
  return {
    ...person,
    needles: person.needles.map((one) => ({ ...one, isSure: one.isSure && !unsure.has(one.text) })),
    alone: { customerIds: among('customerIds'), emails: among('emails'), phones: among('phones') },
  }
}
