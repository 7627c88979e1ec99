import { readFileSync } from 'node:fs'
import { UserError } from '../../domain/values/errors.ts'
import { MESSAGE_FIELDS } from './message-view.ts'
import type { SmtpOptions } from './options.ts'
import { RECEIPT_FIELDS } from './receipt/view.ts'
import { parseTemplate, type Shape, type Template } from './template.ts'

/** Files of an operator's own. Each is read once, at start. */
export interface OwnFiles {
  html: Template | null
  text: Template | null
  /** The template of the messages about orders. */
  messageHtml: Template | null
  messageText: Template | null
  logo: { content: Buffer; filename: string } | null
}

const LARGEST_LOGO = 200 * 1024

/** Reads the files that the options of a destination name; throws a UserError that names the file and the fault. */
export function readOwnFiles(
  destination: string,
  { template, messageTemplate, logo }: Pick<SmtpOptions, 'template' | 'messageTemplate' | 'logo'>,
): OwnFiles {
  const read = (option: string, path: string) => readOwn(`destinations.${destination}.${option}`, path)
  const html = (option: string, path: string | undefined, shape: Shape) => {
    return path === undefined ? null : checked(path, read(option, path).toString(), shape)
  }
  return {
    html: html('template', template, RECEIPT_FIELDS),
    text: textBeside(template, RECEIPT_FIELDS),
    messageHtml: html('messageTemplate', messageTemplate, MESSAGE_FIELDS),
    messageText: textBeside(messageTemplate, MESSAGE_FIELDS),
    logo: logo === undefined ? null : { content: smallEnough(logo, read('logo', logo)), filename: fileName(logo) },
  }
}

function checked(path: string, source: string, shape: Shape): Template {
  // Mail programs run no scripts, and a value inside one would not be safe.
  if (/<script/i.test(source)) throw new UserError(`The template ${path} must have no <script>.`)
  try {
    return parseTemplate(source, shape)
  } catch (error) {
    if (error instanceof UserError) throw new UserError(`The template ${path}, ${error.message}.`, { cause: error })
    throw error
  }
}

/** `receipt.txt` beside `receipt.html`, if it is there. */
function textBeside(template: string | undefined, shape: Shape): Template | null {
  const path = template?.replace(/(\.[^./]*)?$/, '.txt')
  if (path === undefined || path === template) return null
  let source: string
  try {
    source = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  return checked(path, source, shape)
}

function readOwn(option: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UserError(`${option}: the file ${path} cannot be read: ${why}`, { cause })
  }
}

function smallEnough(path: string, content: Buffer): Buffer {
  if (content.length <= LARGEST_LOGO) return content
  throw new UserError(`The logo ${path} has ${content.length} bytes; at most ${LARGEST_LOGO} travel in a mail.`)
}

function fileName(path: string): string {
  return path.replace(/^.*[/\\]/s, '')
}
