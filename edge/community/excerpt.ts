const EXCERPT_LENGTH = 100

/** Truncates by code points, so that no emoji is cut in half. */
export const truncateToExcerpt = (body: string): string => Array.from(body).slice(0, EXCERPT_LENGTH).join('')
