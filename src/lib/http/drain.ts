import type { IncomingMessage, ServerResponse } from 'node:http'
import { free } from '../free.ts'
import { credentialOf } from './recognised.ts'

/** How much is read away of what is refused (bytes), and for how long (milliseconds). */
interface Bounds {
  bytes: number
  ms: number
}

/** Bounds of reading on. A sender with a credential is worth a moment; a stranger is not worth the work of reading. */
const OF_KNOWN: Bounds = { bytes: 4 * 1024 * 1024, ms: 2_000 }
const OF_STRANGERS: Bounds = { bytes: 16 * 1024, ms: 200 }

/** A sender that says nothing for so long is waiting for its answer (milliseconds). */
const QUIET = 100

/** Makes the answer to a refused request the last one of its connection, once it can be heard. False: nobody is there any more. */
export async function prepareToClose(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  await drain(request)
  if (response.destroyed) return false
  response.setHeader('Connection', 'close')
  return true
}

/**
 * Reads away what is still coming of a request that is refused, within bounds: a connection that is closed while its sender
 * still writes loses the answer.
 */
async function drain(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return
  const { bytes, ms } = credentialOf(request.socket) !== null ? OF_KNOWN : OF_STRANGERS
  await new Promise<void>((resolve) => {
    let size = 0
    let quiet = setTimeout(finish, QUIET)
    const longest = setTimeout(finish, ms)
    function read(chunk: Buffer) {
      size += chunk.byteLength
      free(chunk)
      clearTimeout(quiet)
      if (size > bytes) finish()
      else quiet = setTimeout(finish, QUIET)
    }
    function finish() {
      clearTimeout(quiet)
      clearTimeout(longest)
      request.off('data', read).pause()
      resolve()
    }
    request.on('data', read).once('end', finish).once('close', finish).once('error', finish)
    request.resume()
  })
}
