import type { OwnNotice } from '../../ports/notice.ts'
import { messageId } from './compose.ts'
import type { MailAddress } from './server/address.ts'
import type { Mail } from './server/pool.ts'

/** The mail of something that the hub says of itself: plain text, to the addresses that config names. */
export function noticeMail({ key, urgent, subject, text, to }: OwnNotice, from: MailAddress): Mail {
  return {
    messageId: messageId(key, from),
    from,
    to: [...to],
    envelope: { from: from.address, to: [...to] },
    subject,
    text,
    ...(urgent && { priority: 'high' as const }),
    headers: { 'auto-submitted': 'auto-generated', 'x-auto-response-suppress': 'All' },
  }
}
