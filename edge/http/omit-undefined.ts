type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Returns only the fields of a patch that were sent. */
export const omitUndefined = <T extends object>(patch: T): Given<T> =>
	Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as Given<T>
