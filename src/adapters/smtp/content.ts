import type { Mail } from './server/pool.ts'

/** The content of a mail, whoever it goes to. */
export interface Content {
  subject: string
  html: string
  text: string
  attachments: NonNullable<Mail['attachments']>
  headers: Record<string, string>
  /** A fact for the timeline; empty: none. */
  note: string
}
