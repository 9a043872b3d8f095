/** Who the token belongs to; an installation token may not read `GET /user`. */
export const VIEWER = /* GraphQL */ `
  query Viewer {
    viewer { login databaseId }
  }
`;
