/** Key prefix of all images of a community in the vault, so that one purge deletes them. */
export const communityFolder = (communityId: number): string => `communities/${communityId}/`
