import type { HealthArea, HealthFault, HealthItem } from '../health/health.ts'

/** Whom an alarm is for: `note` for the log alone, `alarm` for the next hour, `page` for whoever is on call, now. */
export const SEVERITIES = ['note', 'alarm', 'page'] as const

export type Severity = (typeof SEVERITIES)[number]

/** A rule of the table: which finding of health becomes an alarm, and how it is told. */
export interface AlarmRule {
  /** The name for ever: what mails, log lines, config and other systems know it by. */
  name: string
  severity: Severity
  /** The meaning, in a sentence that names nobody and holds no value. */
  says: string
  /** The findings that it is about: all that is given must hold. */
  of: {
    area: HealthArea | 'any'
    fault?: HealthFault
    /** The beginning of the finding's name. */
    name?: string
    state: Exclude<HealthItem['state'], 'ok'>
  }
  /** How long it must have been so before it is said (milliseconds). */
  after: number
  /** The finding's own words hold counts and names only, so that a mail may repeat them. */
  quotes: boolean
}

/** Whether one severity is at least another. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least)
}

/** Whether a rule speaks of this finding as it is now. */
export function isOf({ of }: AlarmRule, item: HealthItem): boolean {
  return of.state === item.state && isAbout({ of }, item)
}

/** Whether a rule speaks of this finding, however bad it is. */
export function isAbout({ of: { area, fault, name } }: Pick<AlarmRule, 'of'>, item: HealthItem): boolean {
  if (area !== 'any' && area !== item.area) return false
  return (fault === undefined || fault === item.fault) && (name === undefined || item.name.startsWith(name))
}
