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
  /** The ids that the platform calls the person by, and nobody else: an own system may have the same one for somebody else. */
  platformIds: string[]
  notFollowed: NotFollowed[]
  /** What was asked for is of several people: nobody can say which one is meant. */
  isAmbiguous: boolean
  isOfAnother: IsOfAnother
  isLinked: IsLinked
}

/**
 * Whether what a destination has under an id of a customer is the person: the platform has customers under ids of own systems, and those
 * under the platform's.
 */
export type IsLinked = (destination: string, id: string) => boolean

/**
 * Whether something in a row is of somebody else who can be told: who shares nothing with the person, or does and is another all the
 * same. What nobody can be told by is, in a row of the person, the person's.
 */
export type IsOfAnother = (node: PersonNode) => boolean
