export interface Hook {
  id: number;
  repositoryId: number;
  url: string;
  secret: string;
  events: string[];
  active: boolean;
  createdAt: string;
  updatedAt: string;
}

/** One attempt to deliver one event to one hook. A redelivery is a new delivery with the same guid. */
export interface Delivery {
  id: number;
  hookId: number;
  guid: string;
  event: string;
  action: string | null;
  deliveredAt: string;
  redelivery: boolean;
  durationSeconds: number;
  /** 0 when no answer came. */
  statusCode: number;
  status: string;
  requestHeaders: Record<string, string>;
  /** The exact bytes that were signed. */
  payload: string;
  responseHeaders: Record<string, string>;
  responseBody: string;
}
