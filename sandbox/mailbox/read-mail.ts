import PostalMime, { type Attachment, type Email } from 'postal-mime'
import type { Envelope } from './smtp.ts'

/** A mail that arrived. */
export interface Mail {
  /** 1 for the first. */
  id: number
  messageId: string
  /** The address of the From header. */
  from: string
  /** The people whom the server was told to give it to. */
  to: string[]
  subject: string
  text: string
  html: string
  /** By their names in lower case; of several of one name, the last. */
  headers: Record<string, string>
  attachments: MailPart[]
  receivedAt: Date
}

/** A part that is no text of the mail: a file, a picture of the HTML. */
export interface MailPart {
  filename: string | null
  type: string
  /** Without angle brackets; null: nothing in the HTML can name it. */
  contentId: string | null
  content: Buffer
}

/** Reads a mail as mail programs do. */
export async function readMail({ recipients, raw }: Envelope): Promise<Omit<Mail, 'id'>> {
  const email = await PostalMime.parse(raw)
  return {
    messageId: email.messageId ?? '',
    from: senderOf(email),
    to: recipients,
    subject: email.subject ?? '',
    text: email.text ?? '',
    html: email.html ?? '',
    headers: Object.fromEntries(email.headers.map(({ key, value }) => [key, value])),
    attachments: email.attachments.map(partOf),
    receivedAt: new Date(),
  }
}

function senderOf({ from }: Email): string {
  return from?.address ?? ''
}

function partOf({ filename, mimeType, contentId, content }: Attachment): MailPart {
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(new Uint8Array(content))
  return { filename, type: mimeType, contentId: contentId?.replace(/^<|>$/g, '') ?? null, content: bytes }
}
