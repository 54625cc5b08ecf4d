// The entry point of the disk thread.
import { messageOf } from '../../core/errors.ts'
import { checkpoint, type CheckpointTask } from './checkpoint.ts'
import type { TaskFailure } from './disk-thread.ts'
import { faultOf } from './store-error.ts'

declare const self: Worker

self.addEventListener('message', ({ data }: MessageEvent<CheckpointTask>) => {
  let failure: TaskFailure | null = null
  try {
    checkpoint(data)
  } catch (error) {
    failure = { fault: faultOf(error), message: messageOf(error) }
  }
  self.postMessage(failure)
})
