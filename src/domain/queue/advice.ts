import type { Instant } from '../values/instant.ts'
import { refusesUs } from './blame.ts'
import { TROUBLE_ALARM, type Trouble } from './lane.ts'

/** Explanation and remedy of an outage by its code. */
export interface Advice {
  means: string
  todo: string
  /** Waiting does not help. */
  person: boolean
}

const KEPT = 'Nothing is lost meanwhile.'

/** First match. */
const KNOWN: [RegExp, Omit<Advice, 'person'> & Partial<Pick<Advice, 'person'>>][] = [
  [
    /^(http-401|http-407|login-refused|login-without-token|vendure-unauthorized|no-token|files-login)$/,
    {
      means: 'it refuses our key or password, whatever is sent',
      todo: `renew it there if it was revoked or has run out, correct it in config, and have it read again (\`tillbridge reload\`). ${KEPT}`,
    },
  ],
  [
    /^(http-403|vendure-forbidden|no-right)$/,
    {
      means: 'it forbids whatever is sent',
      todo: `look at the rights of our key (it must read and write), and at a firewall before it that refuses this machine. ${KEPT}`,
    },
  ],
  [
    /^smtp-5\d\d$/,
    {
      means: 'it takes no mail from us, whoever it is for',
      todo: `look at the login and at \`from\` of this destination, at its limits, at the machines that may send through that server, and at block lists. ${KEPT}`,
    },
  ],
  [
    /^certificate-refused$/,
    {
      means: 'its certificate is not to be trusted, so nothing is sent to it',
      todo: `have it renewed where it has run out; where it is of an authority of your own, name that by NODE_EXTRA_CA_CERTS where the hub starts; else see whether the url is right, and this machine's clock. ${KEPT}`,
      person: true,
    },
  ],
  [
    /^files-host-key$/,
    {
      means: 'another machine may answer in its place',
      todo: `ask who runs it whether its host key was changed, and only then put the new one into sftp.hostKey. ${KEPT}`,
    },
  ],
  [
    /^files-(missing|denied)$/,
    {
      means: 'the folder that config names is not there, or not ours to use',
      todo: `make it, mount it, or give the user of the hub the right to it. ${KEPT}`,
      person: true,
    },
  ],
  [/^files-full$/, { means: 'its disk is full', todo: `make room there. ${KEPT}`, person: true }],
  [
    /^(no-database|vendure-channel-not-found)$/,
    {
      means: 'it does not have what config names there',
      todo: `correct the name in config, or have it made there. ${KEPT}`,
    },
  ],
  [
    /^no-api$/,
    {
      means: 'its site is there, but not its API',
      todo: `switch its API on again (a plugin, a setting), or correct the url of this destination. ${KEPT}`,
    },
  ],
  [
    /^http-3\d\d$/,
    {
      means: 'it sends every call to another address',
      todo: `put the final address into the url of this destination, and have config read again (\`tillbridge reload\`); redirects are not followed. ${KEPT}`,
    },
  ],
  [
    /^unreadable-answer$/,
    {
      means: 'something else answers in its place (a login page, a firewall, maintenance, another version)',
      todo: `open its url in a browser, and see what answers there. ${KEPT}`,
    },
  ],
  [
    /^http-(404|405|410|421)$/,
    {
      means: 'something answers at its address, and knows none of what is sent',
      todo: `see whether it is being renewed, and whether the url of this destination is right. ${KEPT}`,
    },
  ],
  [
    /^http-402$/,
    { means: 'it wants to be paid first', todo: `look at the account there: its balance, its limits. ${KEPT}` },
  ],
  [
    /^http-429$/,
    {
      means: 'it refuses every call as one too many',
      todo: 'ask who runs it for a higher limit, or lower `lane.concurrency` of this destination.',
    },
  ],
  [
    /^http-5\d\d$/,
    {
      means: 'it breaks down over every call',
      todo: 'have who runs it read its error log. All goes out when it is back.',
    },
  ],
  [
    /^(no-answer|half-answer|unknown-outcome|http-408|too-late|no-time|files-(aborted|lost))$/,
    {
      means: 'it takes calls and does not answer',
      todo: 'see whether it is overloaded or hangs. All goes out when it is back.',
    },
  ],
  [
    /^(unreachable|files-unreachable)$/,
    {
      means: 'it cannot be reached',
      todo: 'see whether it runs, and whether name, network and firewall let this machine through. All goes out when it is back.',
    },
  ],
  [
    /^(http-4\d\d|refused|gateway-(refused|busy)|no-table|bad-table)$/,
    {
      means: 'it refuses whatever is sent',
      todo: `see what it says: an account that is empty, a limit of a day, another version of it. ${KEPT}`,
    },
  ],
]

export function adviceOn(code: string): Advice {
  const known = KNOWN.find(([codes]) => codes.test(code))?.[1] ?? {
    means: 'nothing gets through to it',
    todo: 'see what it says; all goes out when it is back.',
  }
  return { person: refusesUs(code), ...known }
}

export function isDown({ code, since }: Trouble, now: Instant): boolean {
  return adviceOn(code).person || now - since > TROUBLE_ALARM
}
