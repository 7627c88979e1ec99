import type { Command } from 'commander'
import { JOB_NAMES, JOBS } from '../../src/config/jobs.ts'
import { ALARM_RULES } from '../../src/domain/alarms/rules.ts'
import { formatDuration } from '../../src/domain/values/instant.ts'
import type { Flow } from '../../src/flows/flow.ts'
import { TAKES } from '../../src/ports/perform.ts'

export function jobsPart(): string {
  return list(JOB_NAMES.map((name) => `${code(name)} ${code(JOBS[name].schedule)}: ${JOBS[name].about}`))
}

export function alarmsPart(): string {
  return list(
    ALARM_RULES.map(({ name, severity, after, says }) => {
      const when = after === 0 ? 'at once' : `after ${formatDuration(after)}`
      return `${code(name)} (${severity}, ${when}): ${says}`
    }),
  )
}

/** Flows that a destination has in one queue, and may or may not repeat, a line each. */
export function flowsPart(flows: readonly Flow[]): string {
  const groups = Map.groupBy(flows, ({ urgency, once }) => `Queue \`${urgency}\`, ${once ? 'once only' : 'repeatable'}`)
  const lineOf = ({ name, port, method, kinds }: Flow) =>
    `${name} ${method === undefined ? port : `${port}.${method}`} ${kinds === 'all' ? 'all' : kinds.join(', ')}`
  return [...groups].map(([title, those]) => [`${title}:`, '```', ...those.map(lineOf), '```'].join('\n')).join('\n\n')
}

export function portsPart(): string {
  return list(
    Object.entries(TAKES).map(([port, methods]) => {
      const names = Object.entries<string>(methods).map(
        ([name, takes]) => `${code(name)}${takes === 'several' ? '*' : ''}`,
      )
      return `${code(port)}: ${names.join(', ')}`
    }),
  )
}

export function commandsPart(program: Command): string {
  return list(leavesOf(program).map(({ words, command }) => `${code(words.join(' '))}: ${command.description()}`))
}

interface Leaf {
  words: string[]
  command: Command
}

/** The commands that do something, each with the words that call it. */
export function leavesOf(command: Command, words: readonly string[] = []): Leaf[] {
  if (command.commands.length === 0) return [{ words: [...words], command }]
  return command.commands.flatMap((inner) => leavesOf(inner, [...words, inner.name()]))
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n')
}

function code(text: string): string {
  return `\`${text}\``
}
