import type { Mail } from './server/pool.ts'

/** What is in a mail, whoever it goes to. */
export interface Content {
  subject: string
  html: string
  text: string
  attachments: NonNullable<Mail['attachments']>
  headers: Record<string, string>
  /** A fact for the timeline; empty: none. */
  note: string
}
