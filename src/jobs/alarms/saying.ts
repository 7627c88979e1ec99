import type { Notice } from '../../domain/alarms/notice.ts'
import { noticeTitle } from '../../domain/alarms/notice-text.ts'
import type { Logger } from '../../lib/logger.ts'

/** Says notices in the log: what begins as an error where a person has to act, what is over as information. */
export function sayInLog(notices: readonly Notice[], logger: Logger): void {
  for (const notice of notices) {
    const { rule, severity, change, says, things, more } = notice
    const facts = { rule, severity, title: noticeTitle(notice), things: things.map(({ thing }) => thing), more }
    if (change === 'over') logger.info(facts, 'alarm.over')
    else if (severity === 'note') logger.warn({ ...facts, says }, 'alarm.began')
    else logger.error({ ...facts, says }, 'alarm.began')
  }
}
