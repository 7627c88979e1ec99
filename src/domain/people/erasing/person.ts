import type { Needle } from './needles.ts'
import type { Identities, PersonalValue, PersonNode } from './person-nodes.ts'

/** Somebody who shares something with the person, and may be somebody else. */
export interface NotFollowed {
  /** What both have, and what only the other has. */
  shared: string
  other: string
  why: string
}

/** A person, as far as the rows say who it is. */
export interface Person extends Identities {
  values: PersonalValue[]
  needles: Needle[]
  /** What nobody has who was not followed: by it the person is known also in rows that are not known to be theirs. */
  alone: Identities
  notFollowed: NotFollowed[]
  /** What was asked for is of several people: nobody can say which one is meant. */
  isAmbiguous: boolean
  isOfAnother: IsOfAnother
}

/**
 * Whether something in a row is of somebody else who can be told: who shares nothing with the person, or does and is another all the
 * same. What nobody can be told by is, in a row of the person, the person's.
 */
export type IsOfAnother = (node: PersonNode) => boolean
