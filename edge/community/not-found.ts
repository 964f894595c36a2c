import { notFoundError } from '../http/errors.ts'

// Unknown ids, ids of other communities and ids that the caller must not see get the same response.
export const communityNotFoundError = () => notFoundError('community')
export const memberNotFoundError = () => notFoundError('member')
export const postNotFoundError = () => notFoundError('post')
export const spaceNotFoundError = () => notFoundError('space')
export const spaceGroupNotFoundError = () => notFoundError('space group')
