import type { Command } from 'commander'
import { JOB_NAMES, JOBS } from '../../src/config/jobs.ts'
import { ALARM_RULES, type AlarmRule, SEVERITIES } from '../../src/domain/alarms/rules.ts'
import { formatDuration } from '../../src/domain/values/instant.ts'
import type { Flow } from '../../src/flows/flow.ts'
import { TAKES } from '../../src/ports/perform.ts'

export function jobsPart(): string {
  return list(JOB_NAMES.map((name) => `${code(name)} ${code(JOBS[name].schedule)}: ${JOBS[name].about}`))
}

/** By severity, the worst first. */
export function alarmsPart(): string {
  const bySeverity = Map.groupBy(ALARM_RULES, ({ severity }) => severity)
  const lineOf = ({ name, after, says }: AlarmRule) =>
    `${code(name)}${after === 0 ? '' : ` (after ${formatDuration(after)})`}: ${says}`
  const parts = SEVERITIES.toReversed().map((severity) => [
    `**${severity}**`,
    list((bySeverity.get(severity) ?? []).map(lineOf)),
  ])
  return parts.flat().join('\n\n')
}

/** Flows that a destination has in one queue, and may or may not repeat, a line each. */
export function flowsPart(flows: readonly Flow[]): string {
  const groups = Map.groupBy(
    flows,
    ({ urgency, atMostOnce: once }) => `Queue \`${urgency}\`, ${once ? 'once only' : 'repeatable'}`,
  )
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
