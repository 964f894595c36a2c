type Sent<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Returns only the fields of a patch that were sent. */
export const omitUndefined = <T extends object>(patch: T): Sent<T> =>
	Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as Sent<T>
