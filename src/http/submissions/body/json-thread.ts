import { inspectJson, type JsonLimits } from '../../../lib/json.ts'
import { free, oneByOne, serve } from '../../../lib/thread.ts'

/* Large bodies are checked in a thread: very long numbers would block the event loop. */

serve(({ limits }: { limits: JsonLimits }) => ({
  run: oneByOne(({ args }) => {
    const body = args[0] as Uint8Array<ArrayBuffer>
    try {
      return inspectJson(Buffer.from(body.buffer, body.byteOffset, body.byteLength), limits)
    } finally {
      free(body)
    }
  }),
}))
