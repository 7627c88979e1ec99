// What a process is in a container that runs under an id of its own: a user without a name. Changing to one takes the rights of root.

import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

process.getuid = () => 54_321
os.userInfo = () => {
  throw Object.assign(new Error('uv_os_get_passwd returned ENOENT'), { code: 'ERR_SYSTEM_ERROR' })
}
syncBuiltinESMExports()
