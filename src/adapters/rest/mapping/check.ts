import { isNoFunction } from '../../../lib/jsonata.ts'
import { buildRequest } from '../request.ts'
import type { RestOptions } from '../schema.ts'
import { sampleOf } from './samples.ts'
import { type LevelsTemplate, MappingError, type RequestTemplate, resultOf, shownFault } from './template.ts'

/** Places of lists in the first that are none in the second: JSONata unwraps lists of one. */
function unlikeLists(many: unknown, one: unknown, place = 'the whole'): string[] {
  if (Array.isArray(many)) return Array.isArray(one) ? unlikeLists(many[0], one[0], place) : [place]
  if (!isObject(many) || !isObject(one)) return []
  return Object.entries(many).flatMap(([key, value]) => unlikeLists(value, one[key], `"${key}"`))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object'
}

type Path = (string | number)[]

interface MappingFault {
  path: Path
  message: string
}

/** Over answers only a fault that no answer can cure counts. */
const OVER_ANSWERS = ['refusedWhen', 'laterWhen', 'link', 'found', 'answer', 'items', 'cursor', 'more'] as const
const MAKE_NOTHING = new Set(['ready', 'collected', 'decline', 'expire'])

export function checkMappings(options: RestOptions): MappingFault[] {
  const { orders = {}, customers = {}, stock = {}, backOffice = {}, poll, healthCheck } = options
  const readLevels = options.stock?.readLevels
  const sections = Object.entries({ orders, customers, stock: { ...stock, readLevels: undefined }, backOffice })
  const all = sections.flatMap(([section, methods]) =>
    Object.entries(methods).flatMap(([method, written]) =>
      Array.isArray(written)
        ? written.flatMap((each, index) => checkOne(each, [section, method, index]))
        : written === undefined
          ? []
          : checkOne(written, [section, method]),
    ),
  )
  return [
    ...all,
    ...(readLevels ? checkLevels(readLevels) : []),
    ...(poll ? checkTemplate(poll, ['poll'], { cursor: 'cursor-1' }, { cursor: 'cursor-1' }) : []),
    ...(healthCheck ? checkTemplate(healthCheck, ['check'], {}, {}) : []),
  ]
}

function checkLevels(template: LevelsTemplate): MappingFault[] {
  const { first } = template
  const location = 'oslo'
  const later = { location, page: typeof first === 'number' ? first + 1 : '2' }
  return checkTemplate(template, ['stock', 'readLevels'], later, {
    location,
    ...(first !== undefined && { page: first }),
  })
}

interface Written extends RequestTemplate {
  when?: string | undefined
  link?: string | undefined
  find?: (RequestTemplate & { found: string }) | undefined
}

function checkOne(written: Written, path: Path): MappingFault[] {
  const [section, method] = path as [string, string]
  const many = sampleOf(section, method, 2)
  const one = sampleOf(section, method, 1)
  return [
    ...checkLink(written, path),
    ...checkTemplate(written, path, many, one),
    ...tried([...path, 'when'], written.when, many, () => true),
    ...(written.find ? checkTemplate(written.find, [...path, 'find'], many, one) : []),
  ]
}

function checkLink({ link }: Written, path: Path): MappingFault[] {
  const [section, method] = path
  if (link === undefined || section !== 'orders' || !MAKE_NOTHING.has(String(method))) return []
  return [{ path: [...path, 'link'], message: 'Must not be given: nothing is made that has an id.' }]
}

function checkTemplate(template: RequestTemplate, path: Path, many: object, one: object): MappingFault[] {
  if (template.method === 'GET' && template.body !== undefined)
    return [{ path: [...path, 'body'], message: 'Must not be given: a GET has no body.' }]
  const expressions: Record<string, unknown> = { ...template }
  return [
    ...checkRequest(template, path, many, one),
    ...OVER_ANSWERS.flatMap((key) => tried([...path, key], expressions[key], overAnswer(many), isHopeless)),
  ]
}

function checkRequest(template: RequestTemplate, path: Path, many: object, one: object): MappingFault[] {
  try {
    const [twice, once] = [buildRequest(template, many), buildRequest(template, one)]
    for (const [name, text] of Object.entries(template.query ?? {}))
      if (!twice.path.includes(`${encodeURIComponent(name)}=`))
        return [
          { path: [...path, 'query', name], message: `${text} gives nothing, though all that there may be is there.` },
        ]
    if (template.type === 'form' || !twice.body || !once.body) return []
    const unlike = unlikeLists(JSON.parse(twice.body.toString()), JSON.parse(once.body.toString()))
    return unlike.map((place) => ({
      path: [...path, 'body'],
      message: `Must have [ ] around ${place}: it is a list where there are two, and none where there is one.`,
    }))
  } catch (error) {
    return [faultOf(error, path)].flat()
  }
}

function tried(path: Path, expression: unknown, input: object, tells: (code: string) => boolean): MappingFault[] {
  if (typeof expression !== 'string') return []
  try {
    resultOf(expression, input)
    return []
  } catch (error) {
    const fault = error instanceof MappingError ? error.fault : null
    return fault && !tells(fault.code) ? [] : faultOf(error, path)
  }
}

function faultOf(error: unknown, path: Path): MappingFault[] {
  if (!(error instanceof MappingError)) throw error
  const { message, place, fault } = error
  if (fault?.code.startsWith('S0')) return []
  const why = fault ? `: ${shownFault(fault)}` : ''
  return [{ path: [...path, ...place], message: `On a sample, ${message}${why}.` }]
}

function overAnswer(sample: object): object {
  return { ...sample, answer: {}, status: 200, headers: {} }
}

function isHopeless(code: string): boolean {
  return isNoFunction({ code }) || code === 'timeout'
}
