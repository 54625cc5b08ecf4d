// The entry point of the disk thread.
import { messageOf } from '../../core/errors.ts'
import { type DiskTask, runDiskTask, type TaskFailure } from './disk-thread.ts'
import { faultOf } from './store-error.ts'

declare const self: Worker

self.addEventListener('message', ({ data }: MessageEvent<DiskTask>) => {
  let failure: TaskFailure | null = null
  try {
    runDiskTask(data)
  } catch (error) {
    failure = { fault: faultOf(error), message: messageOf(error) }
  }
  self.postMessage(failure)
})
