/** The picture of an element. */
export const cropTexts = {
  crop: {
    alt: (url: string) => `The element, outlined, in the screenshot of ${url}`,
  },
};
