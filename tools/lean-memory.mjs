import { isMainThread } from 'node:worker_threads'

// glibc keeps what it frees in an arena for each thread, and large buffers with it: after a million sales lines that is 60 MB
// that nobody uses. It reads these settings before the first line of a program, so the program begins once more, in the same
// process (docs/adr/0008). Whoever has set them keeps what is set.
const SETTINGS = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '200000', MALLOC_TRIM_THRESHOLD_: '2000000' }

const isSet = Object.keys(SETTINGS).some((name) => process.env[name] !== undefined)
if (process.platform === 'linux' && isMainThread && !isSet && process.execve && process.send === undefined)
  process.execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
    ...process.env,
    ...SETTINGS,
  })
