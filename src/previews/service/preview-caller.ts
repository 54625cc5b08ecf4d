import type { Caller } from '../../core/fetch/ports.ts'

/** A user in the playground. */
export const userCaller = (userId: string): Caller => ({ userId, publicOnly: false })

/** A visitor of the public playground, from a client network. */
export const visitorCaller = (network: string): Caller => ({ userId: 'public', visitor: network, publicOnly: true })

/** A viewer of a result that the user has shared. */
export const sharedCaller = (userId: string): Caller => ({ userId: `shared ${userId}`, publicOnly: true })

/** The owner of the limits per minute of images and files, and of signed links to images. */
export const countedAs = ({ userId, visitor }: Caller): string =>
  visitor === undefined ? `${userId}` : `${userId} ${visitor}`
