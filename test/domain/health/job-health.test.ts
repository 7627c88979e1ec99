import { expect, test } from 'vitest'
import { jobHealth } from '../../../src/domain/health/hub-health.ts'
import type { JobStatus } from '../../../src/domain/health/job-status.ts'

const JOB: JobStatus = {
  ...{ name: 'stores', schedule: '11 3 * * *', atStart: true, running: false, elsewhere: false, cutOff: false },
  ...{ overdue: false, nextRunAt: null, lastStartedAt: 5, lastSucceededAt: 5, lastFailedAt: null, problem: null },
  ...{ note: '12 stores', failures: 0, code: null },
}

const said = (given: Partial<JobStatus>) => {
  const [item] = jobHealth([{ ...JOB, ...given }])
  return `${item?.state}: ${item?.means}`
}

test('When a job fails, then that is worth knowing; again and again, overdue or refused, then somebody must act', () => {
  const failing = { failures: 1, problem: 'no answer' }
  expect(said(failing)).toBe('note: It failed: no answer.')
  expect(said({ ...failing, failures: 3 })).toBe('note: It has failed 3 times: no answer.')
  expect(said({ ...failing, failures: 4 })).toBe('problem: It has failed 4 times: no answer.')
  expect(said({ ...failing, overdue: true })).toBe('problem: It failed: no answer.')
  expect(said({ ...failing, code: 'http-503' })).toBe('note: It failed: no answer.')
  expect(said({ ...failing, code: 'http-302' })).toBe('problem: It failed: no answer.')
  expect(said({ ...failing, code: 'certificate-refused' })).toBe('problem: It failed: no answer.')
  expect(said({ ...failing, code: 'http-401' })).toBe('problem: It failed, credentials refused: no answer.')
})

test('When a job does not fail and has not run as it should, then it is said what is known of it', () => {
  expect(said({})).toBe('ok: 12 stores')
  expect(said({ note: null })).toBe('ok: It has not run yet.')
  expect(said({ cutOff: true })).toBe('note: Its hub stopped during the run; it is made up for.')
  expect(said({ overdue: true })).toBe('problem: It has not succeeded for two of its turns.')
  expect(said({ overdue: true, running: true, lastSucceededAt: null })).toBe(
    'problem: It has not succeeded yet; it runs now.',
  )
})

test('When it is told, then since when it has been so, when it runs next, and what to do where somebody must', () => {
  const [problem, fine, failed] = jobHealth([
    { ...JOB, overdue: true, nextRunAt: 9 },
    JOB,
    { ...JOB, failures: 1, lastSucceededAt: null, lastFailedAt: 7 },
  ])
  expect(problem).toMatchObject({ area: 'job', name: 'stores', since: 5, next: 9 })
  expect(problem?.todo).toContain('tillbridge jobs history stores')
  expect(fine?.todo).toBeNull()
  expect(failed).toMatchObject({ since: 7, todo: null })
  expect(failed).not.toHaveProperty('next')
})
