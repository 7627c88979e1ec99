import { readFileSync } from 'node:fs'
import { UserError } from '../../domain/errors.ts'
import { RECEIPT_FIELDS } from './receipt-view.ts'
import { parseTemplate, type Template } from './template.ts'

/** What an operator's own files give. Each is read once, at start. */
export interface OwnFiles {
  html: Template | null
  text: Template | null
  logo: { content: Buffer; filename: string } | null
}

const LARGEST_LOGO = 200 * 1024

/** Reads the files that the options of a destination name; throws a UserError that names the file and the fault. */
export function readOwnFiles(
  destination: string,
  { template, logo }: { template?: string | undefined; logo?: string | undefined },
): OwnFiles {
  const read = (option: string, path: string) => readOwn(`destinations.${destination}.${option}`, path)
  const beside = template?.replace(/(\.[^./]*)?$/, '.txt')
  return {
    html: template === undefined ? null : checked(template, read('template', template).toString()),
    text: beside === undefined || beside === template ? null : optional(beside),
    logo: logo === undefined ? null : { content: smallEnough(logo, read('logo', logo)), filename: fileName(logo) },
  }
}

function checked(path: string, source: string): Template {
  // Mail programs run no scripts, and a value inside one would not be safe.
  if (/<script/i.test(source)) throw new UserError(`The template ${path} must have no <script>.`)
  try {
    return parseTemplate(source, RECEIPT_FIELDS)
  } catch (error) {
    if (error instanceof UserError) throw new UserError(`The template ${path}, ${error.message}.`, { cause: error })
    throw error
  }
}

function optional(path: string): Template | null {
  let source: string
  try {
    source = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  return checked(path, source)
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
