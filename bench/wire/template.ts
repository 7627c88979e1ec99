import { NUMBER, POS, saleText } from './sale.ts'

const GUID_HEAD = '%GUID%%%'
const BODY_BYTES = 2_048

/**
 * Bytes that become another event by writing a number into them: nothing is built or parsed per request. POS and
 * transport keys are one to one with the number but in no order: keys that grow by one would spare the server's index the
 * work that real ones make. Exact up to 20 million events.
 */
export interface Template {
  buffer: Buffer
  set(event: number): void
}

/** The body alone. */
export function saleTemplate(): Template {
  return template(saleText(BODY_BYTES))
}

/** The whole request of the webhook, with a transport key of its own. */
export function requestTemplate(path: string): Template {
  const body = saleText(BODY_BYTES)
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-event-id: ${GUID_HEAD}-0000-4000-8000-000${NUMBER}`,
  ]
  return template(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function template(text: string): Template {
  const buffer = Buffer.from(text)
  const numbers = offsets(buffer, NUMBER)
  const posList = offsets(buffer, POS)
  const guids = offsets(buffer, GUID_HEAD)
  return {
    buffer,
    set(event) {
      for (const at of numbers) write(buffer, at, event, 9, 10)
      for (const at of posList) write(buffer, at, (event * 387_420_489) % 1e9, 9, 10)
      for (const at of guids) write(buffer, at, Math.imul(event, 1_977_326_743) >>> 0, 8, 16)
    },
  }
}

function write(buffer: Buffer, offset: number, value: number, digits: number, base: number): void {
  let rest = value
  for (let at = offset + digits - 1; at >= offset; at--) {
    const digit = rest % base
    buffer[at] = digit + (digit < 10 ? 48 : 87)
    rest = (rest - digit) / base
  }
}

function offsets(buffer: Buffer, mark: string): number[] {
  const found: number[] = []
  for (let at = buffer.indexOf(mark); at >= 0; at = buffer.indexOf(mark, at + 1)) found.push(at)
  return found
}
