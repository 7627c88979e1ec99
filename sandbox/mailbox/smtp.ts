import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** A mail as it came over the wire. */
export interface Envelope {
  /** The people to whom it was sent, as the server was told; the mail itself may say something else. */
  recipients: string[]
  raw: Buffer
}

/** The mail server of the sandbox: it takes any login and any mail. */
export interface SmtpSide extends AsyncDisposable {
  url: string
  /** From now on says that it is going down, to old connections and to new ones; or works again. */
  down(on: boolean): void
}

/** How a recipient is refused: the mailbox does not exist, or it takes nothing just now. */
export type Refusal = 'for-good' | 'for-now'

interface SmtpSideOptions {
  host: string
  port: number
  /** Null: the recipient is fine. */
  refusalOf(recipient: string): Refusal | null
  /** The sender is told that all is well when this is done. */
  receive(envelope: Envelope): Promise<void>
}

const REFUSALS: Record<Refusal, [code: number, text: string]> = {
  'for-good': [550, '5.1.1 No such mailbox here'],
  'for-now': [450, 'Mailbox is busy, try again later'],
}

const LARGEST_MAIL = 25 * 1024 * 1024

/** Starts it. It offers no TLS: it listens on the machine itself. */
export async function startSmtpSide({ host, port, refusalOf, receive }: SmtpSideOptions): Promise<SmtpSide> {
  let isDown = false
  const goingDown = () => (isDown ? refusal(421, 'Going down') : null)

  const server = new SMTPServer({
    name: 'sandbox',
    banner: 'Tillbridge sandbox',
    size: LARGEST_MAIL,
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onConnect: (_session, callback) => callback(goingDown()),
    onAuth: ({ username }, _session, callback) => callback(null, { user: username }),
    onMailFrom: (_address, _session, callback) => callback(goingDown()),
    onRcptTo({ address }, _session, callback) {
      const how = refusalOf(address)
      callback(goingDown() ?? (how && refusal(...REFUSALS[how])))
    },
    onData(stream, { envelope }, callback) {
      buffer(stream)
        .then(async (raw) => {
          // Mail that is refused must not be kept: its sender will send it again.
          if (!isDown) await receive({ recipients: envelope.rcptTo.map(({ address }) => address), raw })
          return goingDown()
        })
        .then(
          (answer) => callback(answer),
          (error: Error) => callback(refusal(451, error.message)),
        )
    },
  })
  // A client that goes away in the middle is no outage of ours.
  server.on('error', () => {})
  server.listen(port, host)
  await once(server.server, 'listening')
  const address = server.server.address()
  const actual = typeof address === 'object' && address ? address.port : port

  return {
    url: `smtp://${host}:${actual}`,
    down(on) {
      isDown = on
      if (on) hangUp(server)
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server.server, 'close')
      server.close()
      hangUp(server)
      await closed
    },
  }
}

function hangUp(server: SMTPServer): void {
  for (const connection of server.connections) {
    connection.send(421, 'Going down')
    connection.close()
  }
}

function refusal(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode })
}
