import type { Examined } from '../../../ports/examined.ts'
import type { SmtpAddress } from '../options.ts'
import { isThisMachine } from './connecting.ts'
import type { Greeted } from './greeting.ts'

/** Findings about a server from how it greeted. Pure. */
export function judgeGreeting(greeted: Greeted, address: SmtpAddress): Examined[] {
  return [judgeConnection(greeted, address), judgeLogin(greeted, address)]
}

function judgeConnection({ isEncrypted }: Greeted, { host }: SmtpAddress): Examined {
  const what = 'connection'
  if (isEncrypted) return { what, state: 'ok', says: 'It greets us, and what is said is encrypted (TLS).' }
  if (isThisMachine(host)) return { what, state: 'ok', says: 'It greets us, on this machine.' }
  return {
    what,
    state: 'note',
    says: 'It greets us, and offers no TLS: mails go there for everybody on the way to read.',
    todo: 'ask who runs it for TLS (smtps://, or STARTTLS on port 587).',
  }
}

function judgeLogin({ isLoggedIn, wantsLogin }: Greeted, { login }: SmtpAddress): Examined {
  const what = 'credentials'
  if (isLoggedIn) return { what, state: 'ok', says: 'It takes our user and password. No mail was sent.' }
  if (login)
    return {
      what,
      state: 'unknown',
      says: 'It offers no login, so that our user and password are not used. Whether it takes mail from this machine without shows with the first one.',
      todo: 'compare host and port of the url with what its owner gave you; most take a login at port 587 or 465.',
    }
  const offered = wantsLogin ? ', though it offers a login' : ''
  return {
    what,
    state: 'note',
    says: `Config has no login${offered}: whether it takes mail from this machine shows with the first one.`,
  }
}
