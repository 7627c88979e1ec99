import { ALARM_ACTIVE, JOB_SUCCEEDED } from '../metrics/metric.ts'
import type { AlarmRule } from './rule.ts'
import { STORE_RULE } from './rules.ts'

/** A rule of Prometheus: `for` is how long the expression must hold. */
interface AlertingRule {
  alert: string
  expr: string
  for?: string
  labels: { severity: string; rule?: string }
  annotations: { summary: string; description: string }
}

/** A file of alerting rules, as Prometheus reads it. */
export interface AlertingRules {
  groups: { name: string; rules: AlertingRule[] }[]
}

/**
 * The table of alarms as alerting rules over what `/metrics` shows, with what no hub can say of itself. A hub has the patience of
 * each rule already, so that none waits again; what hubs of a store share is one alert, whichever of them was asked. Pure.
 */
export function alertingRules(rules: readonly AlarmRule[]): AlertingRules {
  return { groups: [{ name: 'tillbridge', rules: [...rules.map(alertOf), ...BEYOND_THE_TABLE] }] }
}

function alertOf({ name, severity, says }: AlarmRule): AlertingRule {
  const active = `${ALARM_ACTIVE}{rule="${name}"}`
  // Whether it can write, each hub knows of itself alone.
  const expr = name === STORE_RULE.name ? active : `max without (instance) (${active})`
  return {
    alert: `Tillbridge${name.replaceAll(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase())}`,
    expr: `${expr} == 1`,
    labels: { severity, rule: name },
    annotations: {
      summary: says,
      description: 'tillbridge status says what it is about, since when, and what to do.',
    },
  }
}

/** Alerts that no hub can raise: that it does not run, and that nobody looks. */
const BEYOND_THE_TABLE: readonly AlertingRule[] = [
  {
    alert: 'TillbridgeNotThere',
    expr: `absent(${ALARM_ACTIVE})`,
    for: '2m',
    labels: { severity: 'page' },
    annotations: {
      summary: 'No hub tells of itself: none runs, or it cannot be asked.',
      description: 'Ask /health/live of each hub; a key of scope read:metrics may have been revoked.',
    },
  },
  {
    alert: 'TillbridgeNobodyLooks',
    expr: `time() - max without (instance) (${JOB_SUCCEEDED}{name="alarms"}) > 600`,
    labels: { severity: 'page' },
    annotations: {
      summary:
        'Hubs run, and it has not been looked for alarms for ten minutes: those that are shown may be over, and others not seen.',
      description: 'tillbridge jobs history alarms says why.',
    },
  },
]
