/** The token of a signed video is a part of the path, so that relative URLs in playlists include it. */
const TOKEN_IN_PATH = /\/~[\w.-]+\//

/** Returns the URL with this token in place of the one that it has. A URL without a token stays as it is. */
export const addToken = (url: string, token: string | null): string =>
	token === null ? url : url.replace(TOKEN_IN_PATH, `/~${token}/`)

export const removeToken = (url: string): string => url.replace(TOKEN_IN_PATH, '/')
