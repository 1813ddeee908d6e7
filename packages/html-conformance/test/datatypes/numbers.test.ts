import { describeDatatypes } from "../support/datatypes.ts";

describeDatatypes("datatypes: numbers", {
  integer: {
    valid: ["0", "-1", "007", "99999999999999999999"],
    invalid: [
      ["", "it is empty"],
      ["-", "it has no digits"],
      ["+1", '"+" is not a digit'],
      ["1.0", '"." is not a digit'],
      [" 1", "a space is not a digit"],
      ["1a", '"a" is not a digit'],
    ],
  },
  "integer-non-negative": {
    valid: ["0", "12"],
    invalid: [
      ["-0", "a minus sign is not allowed"],
      ["-1", "a minus sign is not allowed"],
      ["+1", '"+" is not a digit'],
      ["", "it is empty"],
    ],
  },
  "integer-positive": {
    valid: ["1", "01"],
    invalid: [
      ["0", "zero is not allowed"],
      ["00", "zero is not allowed"],
      ["-1", "a minus sign is not allowed"],
    ],
  },
  float: {
    valid: ["1", "-1.5", ".5", "-.5", "1e5", "1E-5", "1e+400", "-0"],
    invalid: [
      ["", "it is empty"],
      ["-", "it has no digits"],
      [".", '"." must be followed by a digit, not by the end of the value'],
      ["1.", '"." must be followed by a digit, not by the end of the value'],
      ["+1", '"+" is not a digit'],
      ["1e", "its exponent must have a digit, not the end of the value"],
      ["1e+", "its exponent must have a digit, not the end of the value"],
      ["1.5.5", '"." is not allowed in the number'],
      ["NaN", '"N" is not a digit'],
      ["1 ", "a space is not allowed in the number"],
      ["1e5.5", '"." is not allowed in the number'],
    ],
  },
  "float-non-negative": {
    valid: ["0", "-0", ".5"],
    invalid: [
      ["-1", "a number below zero is not allowed"],
      ["-0.5", "a number below zero is not allowed"],
    ],
  },
  "float-positive": {
    valid: ["1", "1e-400", "0.00001"],
    invalid: [
      ["0", "zero is not allowed"],
      ["0e5", "zero is not allowed"],
      ["-1", "a number below zero is not allowed"],
    ],
  },
  zero: {
    valid: ["0"],
    invalid: [
      ["00", 'only "0" is allowed'],
      ["", 'only "0" is allowed'],
    ],
  },
});
