/**
 * All parts of a multipart upload but the last must have the same size, at least 5 MiB. The minimum saves memory: every
 * upload holds two parts. The recommended client chunk of 50 MiB is exactly ten parts.
 */
export const PART_BYTES = 5 * 1024 ** 2
