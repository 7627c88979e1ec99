import type { Actor, Ask } from '../admin/routes.ts'
import type { Role } from '../domain/role.ts'
import type { IndexedStore } from '../domain/stores/store-index.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Html } from './html.ts'
import type { Language, Translate } from './texts/texts.ts'

type Given = Parameters<Ask>[2]

/** One request of a signed-in user, with what a page needs to say things in their words. */
export interface Visit {
  user: { name: string; role: Role }
  actor: Actor
  t: Translate
  language: Language
  now: Instant
  /** IANA; the stores' own, where all have the same one. */
  zone: string
  /** Those that there are now. */
  stores: readonly IndexedStore[]
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  form: Readonly<Record<string, string>>
  /** Of this session, for forms. */
  token: string
  /** This page with its query, below /console. */
  here: string
  may(route: `${'GET' | 'POST'} /${string}`): boolean
  /** The newest act of this user, which a redirect names. */
  newestAct(): Promise<number | null>
  /** Writes into the audit that they looked at personal data. */
  noteReveal(selection: object): Promise<void>
  /** The same operations as the command line's. */
  ask<Answer>(what: Parameters<Ask>[0], given?: Given): Promise<Answer>
}

export interface Page {
  title: string
  body: Html
  status?: number
  /** Where the changes of its content come from, below /console/live. */
  live?: `/${string}`
}

/** A page, the address below /console to go on to, or a file to save. */
export type Shown = Page | { to: string } | { file: string; json: unknown }

export type Answer = (visit: Visit) => Promise<Shown>
